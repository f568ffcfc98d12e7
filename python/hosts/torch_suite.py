"""PyTorch's templates of tests of Inductor, as classes for its CPU backend. `suites.py` runs them with a checkout's `test` in the path."""

from inductor import test_torchinductor as static
from inductor import test_torchinductor_dynamic_shapes as dynamic


class CpuTests(static.TestCase):
    common = static.check_model
    device = "cpu"


class DynamicShapesCpuTests(static.TestCase):
    common = static.check_model
    device = "cpu"


static.copy_tests(static.CommonTemplate, CpuTests, "cpu")
static.copy_tests(dynamic.DynamicShapesCommonTemplate, DynamicShapesCpuTests, "cpu", dynamic.test_failures)
