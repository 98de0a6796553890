"""A wheel that carries libmidrun is one of this platform, for every Python 3; without it, one of any platform."""

import pathlib

from setuptools import setup

options = {}
if any(pathlib.Path(__file__).parent.glob("midrun/lib/*/libmidrun.so")):
    from setuptools import Distribution
    from setuptools.command.bdist_wheel import bdist_wheel

    class PlatformWheel(bdist_wheel):
        """ctypes loads the library, so no Python of its own is named."""

        def get_tag(self):
            return ("py3", "none", super().get_tag()[2])

    class PlatformDistribution(Distribution):
        """Goes to platlib."""

        def has_ext_modules(self):
            return True

    options = {"cmdclass": {"bdist_wheel": PlatformWheel}, "distclass": PlatformDistribution}

setup(**options)
