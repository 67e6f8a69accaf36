"""How a picture says how it was made: our writer, and a reader for ours and other programs'.

`read` is the one way in; it needs no image library and decodes no pixels unless they may hold the
text themselves. Our own format is described in `resources/metadata.md`.
"""

from desktop.store.metadata.reader import read
from desktop.store.metadata.record import ImageMetadata

__all__ = ["ImageMetadata", "read"]
