"""What is read of the GPU while it works, and which GPU it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.checks import golden, selftest_load, selftest_numbers, selftest_sensors
from engine.checks.selftest_plan import GIB
from engine.checks.selftest_sensors import CpuSensors, GpuSensors, NoSensors, Reading, Watch

ADDRESSES = ("0000:03:00.0", "0000:0a:00.0", "0001:c3:00.1")


def write(root: Path, path: str, content: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)


@pytest.fixture
def root(tmp_path) -> Path:
    """A machine with a processor node and three GPU nodes, one of them behind node 10."""
    nodes = "sys/class/kfd/kfd/topology/nodes"
    write(tmp_path, f"{nodes}/0/properties", "cpu_cores_count 16\nsimd_count 0\n")
    for node, location, domain in ((1, 0x0300, 0), (2, 0x0A00, 0), (10, 0xC301, 1)):
        text = f"simd_count 128\nlocation_id {location}\ndomain {domain}\n"
        write(tmp_path, f"{nodes}/{node}/properties", text)
    card = f"sys/bus/pci/devices/{ADDRESSES[1]}"
    for name, content in {
        "device": "0x7551\n",
        "revision": "0xc0\n",
        "mem_info_vram_total": f"{32 * GIB}\n",
        "mem_info_vram_used": f"{2 * GIB}\n",
        "hwmon/hwmon4/temp1_input": "54000\n",
        "hwmon/hwmon4/temp2_input": "71000\n",
        "hwmon/hwmon4/power1_average": "287000000\n",
        "hwmon/hwmon4/freq1_input": "2920000000\n",
        "hwmon/hwmon4/freq2_input": "1258000000\n",
    }.items():
        write(tmp_path, f"{card}/{name}", content)
    return tmp_path


def test_a_card_s_sensors(root):
    sensors = selftest_sensors.gpu_sensors(1, root, {})
    assert sensors is not None
    assert sensors.read() == Reading(
        temperature_c=71.0, power_w=287.0, core_mhz=2920.0, memory_mhz=1258.0
    )
    assert sensors.free_bytes() == 30 * GIB
    assert sensors.pci_id() == ("7551", "c0")


def test_what_cannot_be_read_is_not_known(root):
    sensors = selftest_sensors.gpu_sensors(0, root, {})
    assert sensors is not None
    assert sensors.read() == Reading()
    assert sensors.free_bytes() is None
    assert sensors.pci_id() == ("", "")
    write(root, f"sys/bus/pci/devices/{ADDRESSES[0]}/mem_info_vram_total", "a lot\n")
    assert sensors.free_bytes() is None


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, [0, 1, 2]),
        ({"HIP_VISIBLE_DEVICES": "1"}, [None, 0, None]),
        ({"CUDA_VISIBLE_DEVICES": "2,0"}, [1, None, 0]),
        ({"ROCR_VISIBLE_DEVICES": "1,2"}, [None, 0, 1]),
        ({"HIP_VISIBLE_DEVICES": "1", "CUDA_VISIBLE_DEVICES": "0"}, [None] * 3),
        ({"ROCR_VISIBLE_DEVICES": "1,2", "HIP_VISIBLE_DEVICES": "1"}, [None] * 3),
        ({"GPU_DEVICE_ORDINAL": "1"}, [None] * 3),
        ({"GPU_DEVICE_ORDINAL": "1", "HIP_VISIBLE_DEVICES": "0"}, [None] * 3),
        ({"HIP_VISIBLE_DEVICES": ""}, [None] * 3),
        ({"HIP_VISIBLE_DEVICES": "-1"}, [None] * 3),
        ({"HIP_VISIBLE_DEVICES": "7"}, [None] * 3),
        ({"ROCR_VISIBLE_DEVICES": "GPU-0123456789abcdef"}, [None] * 3),
    ],
)
def test_the_number_of_a_gpu(root, environment, expected):
    found = [selftest_sensors.index_of(address, root, environment) for address in ADDRESSES]
    assert found == expected
    for address, index in zip(ADDRESSES, found, strict=True):
        if index is not None:
            sensors = selftest_sensors.gpu_sensors(index, root, environment)
            assert sensors is not None
            assert sensors.folder.name == address


def test_a_machine_without_a_gpu(tmp_path):
    assert selftest_sensors.index_of(ADDRESSES[0], tmp_path, {}) is None
    assert selftest_sensors.gpu_sensors(0, tmp_path, {}) is None
    assert CpuSensors(tmp_path).read() == Reading()


def test_a_processor_s_sensors(tmp_path):
    write(tmp_path, "sys/class/thermal/thermal_zone0/temp", "41000\n")
    write(tmp_path, "sys/class/thermal/thermal_zone1/temp", "66500\n")
    write(tmp_path, "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3400000\n")
    assert CpuSensors(tmp_path).read() == Reading(temperature_c=66.5, core_mhz=3400.0)


def test_a_watch_reads_at_least_once_and_sums_up(root):
    with Watch(GpuSensors(root / f"sys/bus/pci/devices/{ADDRESSES[1]}")) as watch:
        pass
    assert watch.readings
    assert watch.mean(lambda reading: reading.power_w) == 287.0
    assert watch.highest(lambda reading: reading.temperature_c) == 71.0


def test_the_load_names_what_it_measured(root):
    sensors = GpuSensors(root / f"sys/bus/pci/devices/{ADDRESSES[1]}")
    with Watch(sensors) as watch:
        pass
    assert str(selftest_load.summary(2.87, 90.0, watch, watch)) == (
        "2.87 pictures/s, 0.0100 pictures/s per watt, 90.00 TFLOP/s; "
        "71 °C, 287 W, 2920 MHz, 1258 MHz (mem)"
    )
    with Watch(NoSensors()) as nothing:
        pass
    told = str(selftest_load.summary(0.5, 0.1, nothing, nothing))
    assert told == "0.50 pictures/s, 0.10 TFLOP/s; no sensors to be read"


# --- comparing ------------------------------------------------------------------------------------


def picture(value=None, seed=0):
    import numpy as np

    if value is not None:
        return np.full((16, 16, 3), value, np.uint8)
    return np.random.default_rng(seed).integers(0, 250, (16, 16, 3)).astype(np.uint8)


def test_likeness_is_judged_by_the_format():
    exact = picture()
    assert golden.compare(exact, exact).is_enough("float32")
    near = exact.copy()
    near[::2] += 3  # a mean of 1.5, 41.6 dB
    likeness = golden.compare(near, exact)
    assert likeness.psnr_db == pytest.approx(41.6, abs=0.1)
    assert likeness.mean_difference == pytest.approx(1.5)
    assert likeness.is_enough("bfloat16")
    assert not likeness.is_enough("float32")


def test_a_shifted_colour_is_no_likeness():
    exact = picture()
    tinted = exact.copy()
    tinted[..., 2] += 3  # 43 dB, but blue is 3 off
    assert golden.compare(tinted, exact).psnr_db > 40
    assert not golden.compare(tinted, exact).is_enough("bfloat16")


@pytest.mark.parametrize("value", [0, 128, 255])
def test_one_colour_is_no_picture(value):
    likeness = golden.compare(picture(value), picture())
    assert likeness.is_uniform
    assert not likeness.is_enough("bfloat16")


def test_another_size_is_another_picture():
    assert not golden.compare(picture()[:8], picture()).is_enough("bfloat16")


def test_numbers_round_as_bfloat16_does():
    import numpy as np

    values = np.array([1.0, 1.00390625, 1.01171875, 3.1415927, -65504.0], np.float32)
    assert selftest_numbers.rounded(values, "bfloat16").tolist() == [
        1.0, 1.0, 1.015625, 3.140625, -65536.0,
    ]  # fmt: skip
