"""Access to a GPU through the driver, with the wheel `cuda-bindings`. It needs a GPU."""

import ctypes

import numpy
from cuda.bindings import driver

NO_GPU = "no GPU: nothing is measured"
ATTRIBUTE = driver.CUdevice_attribute


class DeviceError(Exception):
    """The error text of a call of the driver."""


def checked(result):
    """The results of a call of the driver, without its error code."""
    code, *values = result
    if code != driver.CUresult.CUDA_SUCCESS:
        raise DeviceError(code.name)
    return values[0] if len(values) == 1 else values


class Device:
    """The first GPU. Kernels are loaded under a name. `timing.measure` uses `launch`, `mark` and `elapsed`."""

    def __init__(self):
        checked(driver.cuInit(0))
        self.device = checked(driver.cuDeviceGet(0))
        self.context = checked(driver.cuDevicePrimaryCtxRetain(self.device))
        checked(driver.cuCtxSetCurrent(self.context))
        self.begin, self.end = (checked(driver.cuEventCreate(0)) for _ in range(2))
        self.stream = driver.CUstream(0)
        self.kernels, self.pointers, self.modules = {}, [], []

    def attribute(self, which):
        return checked(driver.cuDeviceGetAttribute(which, self.device))

    @property
    def arch(self):
        of = ATTRIBUTE
        major, minor = (self.attribute(w) for w in (of.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, of.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR))
        return f"sm_{major}{minor}"

    @property
    def cache(self):
        """The number of bytes of the L2 cache."""
        return self.attribute(ATTRIBUTE.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)

    def about(self):
        """A line that describes the card."""
        name = checked(driver.cuDeviceGetName(256, self.device)).split(b"\0")[0].decode()
        version = checked(driver.cuDriverGetVersion())
        units = self.attribute(ATTRIBUTE.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
        return f"{name}, {self.arch}, {units} multiprocessors, L2 {self.cache >> 20} MiB, driver for CUDA {version // 1000}.{version % 1000 // 10}"

    def allocated(self, count):
        pointer = checked(driver.cuMemAlloc(count))
        self.pointers.append(pointer)
        return pointer

    def write(self, pointer, array):
        checked(driver.cuMemcpyHtoD(pointer, array.ctypes.data, array.nbytes))

    def clear(self, pointer, count):
        """Fills memory with bytes that no kernel writes. As a float, they are NaN."""
        checked(driver.cuMemsetD8(pointer, 0xFF, count))

    def read(self, pointer, count):
        array = numpy.empty(count, numpy.uint8)
        checked(driver.cuMemcpyDtoH(array.ctypes.data, pointer, count))
        return array

    def load(self, name, cubin, symbol, grid, block, arguments):
        """Loads a kernel under a name, with arguments of `ctypes`."""
        module = checked(driver.cuModuleLoadData(cubin))
        self.modules.append(module)
        function = checked(driver.cuModuleGetFunction(module, symbol.encode()))
        addresses = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(a) for a in arguments))
        # the arguments are stored, because their addresses are used at each launch
        self.kernels[name] = function, grid, block, addresses, arguments

    def launch(self, name):
        function, grid, block, addresses, _ = self.kernels[name]
        checked(driver.cuLaunchKernel(function, *grid, *block, 0, self.stream, ctypes.addressof(addresses), 0))

    def wait(self):
        checked(driver.cuCtxSynchronize())

    def mark(self):
        checked(driver.cuEventRecord(self.begin, self.stream))

    def elapsed(self):
        checked(driver.cuEventRecord(self.end, self.stream))
        checked(driver.cuEventSynchronize(self.end))
        return checked(driver.cuEventElapsedTime(self.begin, self.end))

    def release(self):
        """Frees the kernels and buffers."""
        for pointer in self.pointers:
            checked(driver.cuMemFree(pointer))
        for module in self.modules:
            checked(driver.cuModuleUnload(module))
        self.kernels, self.pointers, self.modules = {}, [], []
