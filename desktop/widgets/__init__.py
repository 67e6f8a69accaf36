"""Reusable controls, one per file; they know Qt and the theme, neither models nor the engine."""
