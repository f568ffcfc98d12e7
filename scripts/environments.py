"""Virtual environments below `target`, for scripts that need more packages than quaff itself."""

import subprocess
import sys
import venv


def interpreter(folder, *installs, advice=""):
    """The interpreter of the virtual environment in `folder`. The environment is created if it does not exist.

    Each of `installs` is a list of words for `pip install`. If pip fails, the process ends with a message, to which `advice` is added.
    """
    if not folder.exists():
        venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    for words in installs:
        if subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *words]).returncode:
            sys.exit(f"{' '.join(map(str, words))} cannot be installed into {folder}{advice}")
    return python
