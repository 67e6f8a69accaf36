"""What Danqing keeps on disk. Imports no Qt, so that the command line uses it too."""
