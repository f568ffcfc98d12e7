"""Compiles the file that is given with NVRTC, with the options behind it, where a wheel with it is installed; exit code 3 where none is."""

import ctypes
import sys
from pathlib import Path


def library() -> ctypes.CDLL | None:
    for folder in map(Path, sys.path):
        for found in sorted(folder.glob("nvidia/*/lib/libnvrtc.so.*")):
            for builtins in found.parent.glob("libnvrtc-builtins.so.*"):
                ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(str(found))
    return None


def main() -> int:
    nvrtc = library()
    if nvrtc is None:
        return 3
    program = ctypes.c_void_p()
    source = Path(sys.argv[1]).read_bytes()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"texts.cu", 0, None, None)
    given = [b"--gpu-architecture=compute_80", *(option.encode() for option in sys.argv[2:])]
    options = (ctypes.c_char_p * len(given))(*given)
    failed = nvrtc.nvrtcCompileProgram(program, len(options), options)
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    print(log.value.decode()[:4000])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
