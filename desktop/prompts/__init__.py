"""Prompt lists: from a file or pasted text to requests, everything expanded and judged beforehand.

`expand_file` and `expand_text` are the whole interface, with the values they return. Nothing here
knows Qt or the store: the window's import table and `danqing batch` read lists with the same code.
"""

from desktop.prompts.fields import Field
from desktop.prompts.lists import expand_file, expand_text, with_text
from desktop.prompts.plan import Expansion, Picture, PlannedPicture, SeedPolicy, Terms, WrongEntry
from desktop.prompts.problems import Problem
from desktop.prompts.reading import LIST_ENDINGS, ListFormat
from desktop.prompts.wildcards import Wildcards

__all__ = [
    "LIST_ENDINGS",
    "Expansion",
    "Field",
    "ListFormat",
    "Picture",
    "PlannedPicture",
    "Problem",
    "SeedPolicy",
    "Terms",
    "Wildcards",
    "WrongEntry",
    "expand_file",
    "expand_text",
    "with_text",
]
