"""Pictures of the window in every look it has, to be looked at: `make screenshots`."""
