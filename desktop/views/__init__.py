"""The window: binds widgets to models. Holds no state that has to survive it."""
