"""A copy of the project in which mutants are built and tested; the project itself is never changed."""
import filecmp
import os
import re
import resource
import shutil
import signal
import subprocess
import time

PARTS = ("core", "sim", "topologies", "schedulers", "workloads", "experiments", "tests", "docs",
         "CMakeLists.txt", "CMakePresets.json")
MEMORY_BYTES = 4 << 30  # a mutant may ask for any amount

# Test programs, their filters, and the folder whose mutants they are for, ordered by the time it takes to link and run
# them. Tests of recorded results, and tests that look at other folders than the cores, are left out.
SUITES = (
    ("core", '~"*unlike GPUs*"~"gpu*"', "core"),
    ("conformance", '~"*at hand*"~"fgd*"', "core"),
    ("sim", '~"duration index*"~"queue policies*"~"gpu*"', "core"),
    ("property", '~"backfill*"~"*trying everything*"~"event*"~"gpu time*"', "core"),
    ("property", '"*trying everything*"', "core/allocation_candidates"),
    ("core", '"*unlike GPUs*"', "core/group_allocator"),
)

# A mutant that only causes compiler warnings still counts, although warnings are errors.
WARNINGS = ("address aggressive-loop-optimizations array-bounds bool-compare bool-operation "
            "conversion dangling-pointer div-by-zero empty-body infinite-recursion "
            "int-in-bool-context logical-op maybe-uninitialized misleading-indentation nonnull "
            "overflow parentheses sign-compare stringop-overflow tautological-compare type-limits "
            "uninitialized unused-but-set-parameter unused-but-set-variable unused-function "
            "unused-parameter unused-value unused-variable")
UNWARNED = "".join(f'#pragma GCC diagnostic ignored "-W{name}"\n' for name in WARNINGS.split())


class Failed(Exception):
    """The project itself does not build, or its tests do not pass."""


def wait_or_kill(process, seconds):
    """The output of a process that leads its own process group; None if it took too long, and the group was ended."""
    try:
        return process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def copied(source, target):
    """Makes `target` equal to `source`; equal files keep their time, so that they are not built again."""
    if source.is_file():
        if not (target.is_file() and filecmp.cmp(source, target, shallow=False)):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        return
    target.mkdir(parents=True, exist_ok=True)
    for old in target.iterdir():
        if not os.path.lexists(source / old.name):
            shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()
    for part in sorted(source.iterdir()):
        if part.name == "node_modules":
            if not (target / part.name).is_symlink():
                (target / part.name).symlink_to(part)
        elif part.name != "__pycache__":
            copied(part, target / part.name)


class Tree:
    def __init__(self, project, place, suites):
        self.root = place
        self.suites = suites
        for part in PARTS:
            copied(project / part, place / part)
        # Objects come from the compiler cache, wherever a build with such an environment made them.
        self.environment = dict(os.environ, CCACHE_BASEDIR=str(place), CCACHE_NOHASHDIR="true")
        self.environment.pop("BERTH_LONG", None)  # long runs would take ten times as long
        self.seconds = {}

    def prepare(self):
        """Builds all tests without a mutant and checks that they pass; their times set the limits for later runs."""
        self._checked(["cmake", "--preset", "release", "-DBERTH_TESTS=ON"])
        programs = sorted({f"berth_{suite[0]}_test" for suite in self.suites})
        self._checked(["cmake", "--build", "build/release", "-j1", "--target", *programs])
        for suite in self.suites:
            begin = time.monotonic()
            failed = self._test(suite, None)
            if failed:
                raise Failed(f"{self.root}: without a mutant, {failed} fails")
            self.seconds[str(suite)] = time.monotonic() - begin

    def try_out(self, file, text):
        """What catches the file with this text; None if no test does, "" if it does not compile."""
        kept = (self.root / file).read_bytes()
        try:
            (self.root / file).write_text(UNWARNED + text)
            for suite in self.suites:
                if not file.is_relative_to(suite[2]):
                    continue
                build = ["cmake", "--build", "build/release", "-j1", "--target",
                         f"berth_{suite[0]}_test"]
                if self._run(build).returncode != 0:
                    return ""
                limit = 10 + 4 * self.seconds[str(suite)]
                if failed := self._test(suite, limit):
                    return failed
            return None
        finally:
            (self.root / file).write_bytes(kept)

    def _run(self, command):
        return subprocess.run(command, cwd=self.root, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def _checked(self, command):
        done = self._run(command)
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)} failed:\n" + done.stdout[-4000:])

    def _test(self, suite, seconds):
        """The failing test of a suite; None if all pass."""
        name, tests, _ = suite
        process = subprocess.Popen([f"build/release/berth_{name}_test", "--abort", tests],
                                   cwd=self.root, env=self.environment, text=True,
                                   errors="replace",
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True, preexec_fn=limit_memory)
        said = wait_or_kill(process, seconds)
        if said is None:
            return f"{name}, which did not end in {seconds:.0f} s"
        if process.returncode == 0:
            return None
        # Catch2 prints the test's name below a line of hyphens.
        title = re.findall(r"^-{79}\n(.*)\n", said, re.M)
        return f'{name} "{title[0]}"' if title else f"{name}, which ended with {process.returncode}"
