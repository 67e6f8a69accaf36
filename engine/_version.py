"""The version, in its one place.

A plain constant, so that the build reads it without importing anything and `danqing --version`
answers before any library is loaded.
"""

__version__ = "0.1.0"
