"""The preview: where each latent element's colours land, and the starter model's own factors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.catalog import Catalog
from engine.device import CpuDevice
from engine.loaded_model import LoadedModel
from engine.port import RgbImage
from engine.preview import Factors, preview
from engine.sampling import euler, guidance, noise, schedule


def pixels(image: RgbImage) -> np.ndarray:
    return np.frombuffer(image.data, np.uint8).reshape(image.height, image.width, 3)


def test_one_pixel_per_element_is_a_matrix_product() -> None:
    weights = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]], np.float32)
    factors = Factors(weights, np.array([0.0, 0.2, 0.0], np.float32))
    latent = np.zeros((1, 2, 2, 3), np.float32)
    latent[0, :, 1, 2] = [0.6, 0.4]
    image = preview(latent, factors)
    assert (image.width, image.height) == (3, 2)
    shown = pixels(image)
    assert shown[0, 0].tolist() == [0, 51, 0]
    assert shown[1, 2].tolist() == [153, 153, 76]


def test_a_cell_is_laid_out_by_colour_row_and_column() -> None:
    bias = (np.arange(12) / 255).astype(np.float32)
    factors = Factors(np.zeros((4, 12), np.float32), bias)
    assert factors.cell == 2
    shown = pixels(preview(np.zeros((1, 4, 2, 3), np.float32), factors))
    assert shown.shape == (4, 6, 3)
    for row in range(4):
        for column in range(6):
            first = 2 * (row % 2) + column % 2
            assert shown[row, column].tolist() == [first, first + 4, first + 8]


def test_neighbouring_elements_do_not_mix() -> None:
    factors = Factors(np.full((1, 12), 1.0, np.float32), np.zeros(12, np.float32))
    latent = np.zeros((1, 1, 3, 4), np.float32)
    latent[0, 0, 1, 2] = 1.0
    shown = pixels(preview(latent, factors))
    assert (shown[2:4, 4:6] == 255).all()
    assert shown.sum() == 255 * 12


def test_values_outside_the_range_are_clipped_and_nan_is_black() -> None:
    factors = Factors(np.ones((1, 3), np.float32), np.zeros(3, np.float32))
    latent = np.array([-9.0, 9.0, np.nan, np.inf], np.float32).reshape(1, 1, 1, 4)
    assert pixels(preview(latent, factors))[0, :, 0].tolist() == [0, 255, 0, 255]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"weights": [[0.0] * 3], "bias": [0.0] * 3},  # one channel of two
        {"weights": [[0.0] * 3] * 2, "bias": [0.0] * 4},
        {"weights": [[0.0] * 6] * 2, "bias": [0.0] * 6},  # six numbers are no square cell
        {"weights": [[0.0] * 3, [0.0] * 2], "bias": [0.0] * 3},
        {"weights": [[0.0, 0.0, float("nan")]] * 2, "bias": [0.0] * 3},
        {"weights": "none", "bias": [0.0] * 3},
        {"weights": [], "bias": []},
    ],
)
def test_factors_that_do_not_fit_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        Factors.from_json(fields, channels=2)


def test_the_starter_models_preview_resembles_what_the_decoder_makes(starter_model: Path) -> None:
    """If this fails after the starter model was replaced, run its training/fit_preview.py."""
    catalog = Catalog(starter_model, [])
    info = catalog.models()[0]
    configuration = catalog.configuration(info.model_id)
    factors = configuration.preview_factors
    assert factors is not None
    device = CpuDevice()
    with device.activate():
        model = LoadedModel(info, configuration, starter_model, device, None)
        text = model.encode("a blue whale under the sea", lambda: None)
        velocities = model.velocities([text], 16, 16, lambda: None)
        velocity = guidance.guided_velocity(velocities, 1.0)
        start = noise.standard_normal(1, (1, model.latent_channels, 16, 16))
        grid = schedule.flow_sigmas(4, configuration.shift)
        *_, last = euler.euler(velocity, start, grid)
        picture = model.decode(last.denoised, None, lambda: None, lambda piece, pieces: None)
    shown = pixels(preview(last.denoised, factors)) / 255
    block = picture.shape[-1] // shown.shape[1]
    expected = np.clip(picture[0] * 0.5 + 0.5, 0, 1).reshape(3, len(shown), block, -1, block)
    error = np.mean((shown - expected.mean((2, 4)).transpose(1, 2, 0)) ** 2)
    assert expected.std() > 0.1
    assert -10 * np.log10(error) > 20
