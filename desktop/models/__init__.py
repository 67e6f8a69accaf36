"""State that the window shows: Qt objects without widgets, testable without a screen."""
