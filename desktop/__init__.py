"""What the artist touches: windows, command line, files. Knows the engine by `engine.port` only."""
