"""How a picture says how it was made. The format is described in `resources/metadata.md`."""
