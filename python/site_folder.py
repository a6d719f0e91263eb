"""Prints the folder of packages below an installation prefix: one in which Python looks, if there is any.

usage: site_folder.py PREFIX
"""

import os
import site
import sys
import sysconfig


def site_folder(prefix):
    """Returns the folder. Debian has other folders than other systems."""
    for folder in site.getsitepackages():
        if os.path.relpath(folder, prefix).startswith("lib"):
            return folder
    return sysconfig.get_path("purelib", "posix_prefix", vars={"base": prefix})


print(site_folder(os.path.abspath(sys.argv[1])))
