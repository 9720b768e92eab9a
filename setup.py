"""Compile the kernels if there is a C compiler; without a compiler the same files run as plain Python.

Without a compiler the wheel is pure (`py3-none-any`), so it is never mistaken for a compiled one.

`PROWESS_REQUIRE_COMPILED=1` makes a missing or failing compiler an error. With `PROWESS_PURE=1`, nothing is compiled.
Kernels with loops over lanes are compiled for this processor; `PROWESS_VARIANTS=all` compiles them for all processors.
"""

import multiprocessing
import os
import platform
import re
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

# A kernel has a line with the comment "# kernel"; one with loops over lanes, which has a variant for processors with
# AVX2 (see `model/processor.py`), has "# kernel: lanes".
MARK = re.compile(r"^# kernel(: lanes)?$", re.MULTILINE)
MARKS = {path: MARK.search(path.read_text(encoding="utf-8")) for path in sorted(Path("src").rglob("*.py"))}
KERNELS = {".".join(path.relative_to("src").with_suffix("").parts): mark[1] for path, mark in MARKS.items() if mark}
LANES = [name for name, lanes in KERNELS.items() if lanes]
SIMD = "#pragma omp simd"
SHARED = "prowess._shared"  # Cython's code for arrays, compiled once instead of in every kernel
# Without fused multiply-add and fast maths, so that compiled and uncompiled kernels give equal bits.
FLAGS = ["-O3", "-g0", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
FLAGS += ["-fopenmp-simd", "-fno-tree-vectorize"]  # only loops over lanes are vectorised
if sys.platform == "win32":
    FLAGS = []
AVX2 = "prowess._avx2."  # what the names of the kernels for AVX2 begin with
REQUIRED = os.environ.get("PROWESS_REQUIRE_COMPILED") == "1"
PURE = os.environ.get("PROWESS_PURE") == "1"
HAS_VARIANTS = platform.machine() in ("x86_64", "AMD64") and sys.platform != "win32"
VARIANTS = {"baseline", "AVX2"} if HAS_VARIANTS else {"baseline"}
ALL_VARIANTS = os.environ.get("PROWESS_VARIANTS") == "all"
METADATA = {"egg_info", "dist_info", "sdist"}  # commands that compile nothing
EXAMPLES = ["clubs.csv", "clubs_truth.csv", "league.csv"]  # what `prowess demo` and `prowess serve --demo` show
SLOWER = "20 to 300 times slower"  # as `prowess --version` says
if REQUIRED and PURE:
    raise SystemExit("PROWESS_REQUIRE_COMPILED and PROWESS_PURE contradict each other; set one of them")


class BuildKernels(build_ext):
    """Build in parallel; if the compiler is missing or fails, print a message and fall back to plain Python."""

    def run(self):
        """Build the kernels; if one of them fails, remove all. Variants that are not built are old, and are removed."""
        if not self.extensions:
            return
        self.parallel = self.parallel or os.cpu_count()
        built = {extension.name for extension in self.extensions}
        for name in {*KERNELS, *map(avx2_name, LANES)} - built:
            Path(self.get_ext_fullpath(name)).unlink(missing_ok=True)
        if not any(name.startswith(AVX2) for name in built):
            shutil.rmtree(Path(self.get_ext_fullpath(AVX2 + "any")).parent, ignore_errors=True)
        try:
            super().run()
        except Exception as error:
            if REQUIRED:
                raise
            print(
                f"prowess: the kernels were not compiled and will run as plain Python, {SLOWER}: {error}",
                file=sys.stderr,
            )
            for extension in self.extensions:
                Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)
            self.extensions = []


class BuildPackage(build_py):
    """Copy the example leagues into the package; an editable installation reads them in the checkout."""

    def run(self):
        """Copy the package and the examples."""
        super().run()
        if not self.editable_mode:
            for name in EXAMPLES:
                target = Path(self.build_lib, "prowess", "example_files", name)
                self.mkpath(str(target.parent))
                self.copy_file(str(Path("examples", name)), str(target))


def kernels():
    """Return the extensions to compile."""
    if PURE or METADATA & set(sys.argv):
        return []
    if not (REQUIRED or has_compiler()):
        print(f"prowess: no C compiler, so the kernels will run as plain Python, {SLOWER}", file=sys.stderr)
        return []
    from Cython.Build import cythonize

    extensions = [
        Extension(
            name,
            [str(Path("src", *name.split(".")).with_suffix(".py"))],
            extra_compile_args=FLAGS,
            libraries=[] if sys.platform == "win32" else ["m"],  # without it, an old and slow `exp` is linked
        )
        for name in KERNELS
    ]
    for extension in extensions:
        if extension.name.startswith("prowess.model.engine."):  # scratch memory, which nobody pickles
            extension.cython_directives = {"auto_pickle": False}
    extensions.append(Extension(SHARED, [], extra_compile_args=FLAGS))
    directives = {
        "language_level": 3,
        "boundscheck": False,
        "wraparound": False,
        "initializedcheck": False,
        "cdivision": True,
        "embedsignature": True,
        "infer_types": True,  # a local variable needs a declaration only if its value comes from an untyped attribute
    }
    forks = multiprocessing.get_start_method() == "fork"  # other methods would run this file again in every process
    kernels = cythonize(
        extensions,
        compiler_directives=directives,
        include_path=["src"],
        shared_utility_qualified_name=SHARED,
        build_dir="build/cython",
        nthreads=(os.cpu_count() or 0) if forks else 0,
        quiet=True,
    )
    for kernel in kernels:
        promise_independent_lanes(kernel)
    variants = VARIANTS if ALL_VARIANTS else {"AVX2"} if has_avx2() else {"baseline"}
    baseline = [kernel for kernel in kernels if kernel.name not in LANES or "baseline" in variants]
    return baseline + [avx2_kernel(kernel) for kernel in kernels if kernel.name in LANES and "AVX2" in variants]


def has_compiler():
    """Return whether the C compiler of this Python exists; on Windows, only trying it tells."""
    command = os.environ.get("CC") or sysconfig.get_config_var("CC")
    return sys.platform == "win32" or (command is not None and shutil.which(command.split()[0]) is not None)


def has_avx2():
    """Return whether this processor has AVX2, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    return "AVX2" in VARIANTS and info.exists() and "avx2" in info.read_text().split()


def promise_independent_lanes(kernel):
    """Tell gcc in the C file of a kernel that all loops over `lane` can be vectorised without comparing addresses.

    Otherwise every loop would begin with such comparisons, which take longer than the loop if there are few lanes.
    The build fails if the C file does not have a loop for every loop of the Python file.
    """
    loop = re.compile(r"^( *)(for \((\w+) = [^;]*; [^;]*; [^)]*\) \{\n *__pyx_v_lane = \3;)", re.MULTILINE)
    source = Path(kernel.sources[0])
    text = source.read_text(encoding="utf-8")
    if SIMD not in text:
        text = loop.sub(rf"{SIMD}\n\1\2", text)
        source.write_text(text, encoding="utf-8")
    if kernel.name in KERNELS:
        python = Path("src", *kernel.name.split(".")).with_suffix(".py").read_text(encoding="utf-8")
        marked, loops = text.count(SIMD), len(re.findall(r"^ *for lane in range\(", python, re.MULTILINE))
        if marked != loops:
            raise SystemExit(
                f"prowess: {kernel.name} has {loops} loops over lanes, but {marked} were found in {source}"
            )


def avx2_name(name):
    """Return the name of the variant of a kernel for AVX2."""
    return name.replace("prowess.", AVX2, 1)


def avx2_kernel(kernel):
    """Return the extension that compiles a kernel's C file for AVX2, without the fused operations of other vectors."""
    source = Path(kernel.sources[0])
    copy = Path("build", "avx2", *source.parts[-4:])  # a file of its own, because object files are named after sources
    if not copy.exists() or copy.stat().st_mtime < source.stat().st_mtime:
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
    name = avx2_name(kernel.name)
    Path("src", *name.split(".")).parent.mkdir(parents=True, exist_ok=True)
    flags = [*kernel.extra_compile_args, "-mavx2"]
    return Extension(name, [str(copy)], extra_compile_args=flags, libraries=kernel.libraries)


setup(ext_modules=kernels(), cmdclass={"build_ext": BuildKernels, "build_py": BuildPackage})
