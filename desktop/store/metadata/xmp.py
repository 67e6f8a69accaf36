"""XMP packets: the few properties that say how a picture was made, and our own in one.

Separate from the containers, since PNG, JPEG and WebP all have it. Parsed with expat, but never
with a document type, so that entities cannot grow, and only up to a number of elements.
"""

from __future__ import annotations

from xml.parsers import expat
from xml.sax.saxutils import escape

from desktop.store.metadata.record import say
from desktop.store.metadata.texts import Texts

NAMESPACE = "urn:danqing:image:1.0/"
PROPERTY = "record"

_MOST_TAGS = 8_000
_MOST_PACKETS = 3
_DAMAGED = say("The XMP data is damaged.")
_WANTED = {
    f"{NAMESPACE} {PROPERTY}": "danqing",
    "http://purl.org/dc/elements/1.1/ description": "description",
    "http://ns.adobe.com/exif/1.0/ UserComment": "UserComment",
    "http://ns.adobe.com/xap/1.0/ CreatorTool": "CreatorTool",
    "http://ns.adobe.com/xmp/note/ HasExtendedXMP": "extended",
}


def read_xmp(data: bytes, texts: Texts) -> str | None:
    """Take the texts of a packet; returns the digest of the extended packet, if it names one."""
    found: dict[str, list[str]] = {}
    path: list[str | None] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        path.append(_WANTED.get(name) or (path[-1] if path else None))
        for key, value in attributes.items():
            if key in _WANTED:
                found.setdefault(_WANTED[key], []).append(value)

    def characters(text: str) -> None:
        if path and path[-1] is not None:
            found.setdefault(path[-1], []).append(text)

    data = data.strip(b"\x00 \r\n\t")
    texts.packets += 1
    if texts.packets > _MOST_PACKETS:
        return None
    if data.count(b"<") > _MOST_TAGS or b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        texts.note_once(say("The XMP data is too large and was left out."))
        return None
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: path.pop()
    parser.CharacterDataHandler = characters
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError):
        texts.note_once(_DAMAGED)
    digest = found.pop("extended", None)
    for keyword, parts in found.items():
        # White space around the elements of a list is no part of the value.
        texts.add(f"xmp:{keyword}", "".join(parts).strip())
    return "".join(digest).strip() if digest else None


def packet(record: str, extended: str | None = None) -> bytes:
    """A packet with our record, which must be ASCII; or one that names its extension's digest."""
    body = (
        f'<rdf:Description rdf:about="" xmlns:danqing="{NAMESPACE}">'
        f"<danqing:{PROPERTY}>{escape(record)}</danqing:{PROPERTY}></rdf:Description>"
        if extended is None
        else '<rdf:Description rdf:about="" xmlns:xmpNote="http://ns.adobe.com/xmp/note/" '
        f'xmpNote:HasExtendedXMP="{extended}"/>'
    )
    return (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>'
        '<x:xmpmeta xmlns:x="adobe:ns:meta/">'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        f"{body}</rdf:RDF></x:xmpmeta>"
        '<?xpacket end="r"?>'
    ).encode()
