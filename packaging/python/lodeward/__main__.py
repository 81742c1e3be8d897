"""The command `lodeward`: replaces this process by the bundled program."""

import os
import sys

from .run import binary_path


def main():
    path = binary_path()
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
