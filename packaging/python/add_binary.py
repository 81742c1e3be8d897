"""Adds the program to the wheel: the file that LODEWARD_BINARY names."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BinaryBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        binary = os.environ.get("LODEWARD_BINARY")
        if not binary or not os.access(binary, os.X_OK):
            raise SystemExit("error: LODEWARD_BINARY must name the program `lodeward`\nhint: run `make wheel`")
        build_data["force_include"][os.path.abspath(binary)] = "lodeward/bin/lodeward"
        # The wheel is for this platform, and for any version of Python.
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + platform_tag()


def platform_tag():
    import sysconfig

    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
