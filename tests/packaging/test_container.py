"""The commands of the image run, here without a container engine, and its user and files are as the manifests say."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml

from tests.packaging.building import ROOT, TOOLS, environment, link_packages
from tests.postgres import fresh
from tests.service.servers import PATIENCE, Connection, free_port
from tools.licences import GROUPS

DOCKERFILE = ROOT / "Dockerfile"
ENGINE_ONLY = ("apt-get", "rm -rf /var/lib/apt", "useradd", "install --directory")  # change the image's own system
HOME = "/var/lib/prowess"


@dataclass
class Stage:
    """A stage of the Dockerfile: its instructions in order, and the settings of its ENV instructions."""

    instructions: list[tuple[str, str]] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)

    def all(self, name: str) -> list[str]:
        """Return the arguments of all instructions with this name."""
        return [arguments for instruction, arguments in self.instructions if instruction == name]


def read_stages() -> list[Stage]:
    """Split the Dockerfile into its stages."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    stages: list[Stage] = []
    for line in filter(None, text.replace("\\\n", " ").splitlines()):
        name, _, arguments = line.partition(" ")
        if name == "FROM":
            stages.append(Stage())
        stages[-1].instructions.append((name, " ".join(arguments.split())))
        if name == "ENV":
            stages[-1].settings |= dict(setting.split("=", 1) for setting in shlex.split(arguments))
    return stages


BUILD, FINAL = read_stages()


def test_image_runs_as_a_user_without_rights_and_writes_only_to_its_one_volume():
    last = FINAL.instructions.index(("USER", "10001:10001"))
    assert not [name for name, _ in FINAL.instructions[last:] if name in ("RUN", "COPY", "ADD", "USER")][1:]
    assert FINAL.all("VOLUME") == FINAL.all("WORKDIR") == [HOME]
    assert FINAL.settings["PROWESS_DATABASE"].startswith(f"sqlite:///{HOME}/")
    assert "--uid 10001" in FINAL.all("RUN")[0]


def test_build_copies_only_files_that_exist_and_are_not_ignored():
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"}
    copied = [shlex.split(arguments)[:-1] for arguments in BUILD.all("COPY")]
    names = {name for part in copied for name in part}
    assert names == kept
    assert all((ROOT / name).exists() for name in names)


def variables(folder: Path, **settings: str) -> dict[str, str]:
    """Return the environment of a container whose volume is a folder."""
    values = {name: value.replace(HOME, str(folder)) for name, value in FINAL.settings.items() if name != "PATH"}
    return environment(**values | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"} | settings)


@contextmanager
def started(folder: Path, **settings: str):
    """Run the command of the image in a folder that takes the place of its volume."""
    folder.mkdir(exist_ok=True)
    command = json.loads(FINAL.all("ENTRYPOINT")[0]) + json.loads(FINAL.all("CMD")[0])
    said = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=folder, env=variables(folder, **settings), **said) as process:
        try:
            yield process
        finally:
            process.terminate()


def listens(process: subprocess.Popen[bytes]) -> bool:
    """Wait until a service has said where it listens, or has ended."""
    return process.stdout.readline().startswith(b"open http")


def test_service_of_the_image_starts_and_its_health_check_passes_only_then(tmp_path):
    [health] = FINAL.all("HEALTHCHECK")
    check = json.loads(health.partition(" CMD ")[2])
    port = free_port()
    env = variables(tmp_path, PROWESS_PORT=str(port))
    with started(tmp_path, PROWESS_PORT=str(port)) as process:
        assert listens(process)
        assert urlopen(f"http://127.0.0.1:{port}/readyz").status == 200
        assert subprocess.run(check, env=env, capture_output=True).returncode == 0
    assert subprocess.run(check, env=env, capture_output=True).returncode == 1
    assert {file.name.partition(".")[0] for file in tmp_path.iterdir()} == {"leagues"}


def test_two_replicas_that_start_at_once_on_an_empty_database_are_one_service(postgres, tmp_path):
    page = (ROOT / "docs" / "guide" / "production.md").read_text(encoding="utf-8")
    [create_key] = re.findall(r"^docker exec prowess (prowess key create .+)$", page, re.MULTILINE)
    ports, path = (free_port(), free_port()), "/api/leagues/darts/leaderboard"
    with fresh(postgres, migrated=False) as url, ExitStack() as replicas:
        settings = [{"PROWESS_DATABASE": url, "PROWESS_PORT": str(port)} for port in ports]
        pods = [replicas.enter_context(started(tmp_path / s["PROWESS_PORT"], **s)) for s in settings]
        assert [listens(pod) for pod in pods] == [True, True]
        env = variables(tmp_path, **settings[0])
        created = subprocess.run(shlex.split(create_key), env=env, capture_output=True, text=True, check=True)
        key = created.stdout.strip()
        one, two = (replicas.enter_context(closing(Connection(port, key))) for port in ports)
        assert one.ask("POST", "/api/leagues", {"name": "darts"}).status == 201
        match = {"teams": [["ann"], ["bob"]], "ranks": [1, 2]}
        assert two.ask("POST", "/api/leagues/darts/matches", match).status == 201
        table = one.ask("GET", path).json
        assert (len(table["players"]), two.ask("GET", path).json) == (2, table)
        pods[0].terminate()
        assert pods[0].wait(PATIENCE) == 0
        assert two.ask("GET", path).json == table
        assert not [file for pod in ports for file in (tmp_path / str(pod)).iterdir()]


@pytest.mark.long
def test_build_of_the_image_installs_the_service_from_a_wheel(tmp_path):
    source, wheels, target = (tmp_path / name for name in ("src", "wheels", "prowess"))
    source.mkdir()
    for arguments in BUILD.all("COPY"):
        *names, _ = shlex.split(arguments)
        for name in names:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
            copy(ROOT / name, source / name)
    service = link_packages(tmp_path / "packages", (*GROUPS["core"], *GROUPS["service"]))
    settings = {"PYTHONPATH": f"{TOOLS}:{service}", "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    pure = {"PROWESS_PURE": "1"}  # tests/packaging/test_wheels.py compiles
    env = environment(**settings | pure | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"})
    for run in BUILD.all("RUN"):
        if not run.startswith(ENGINE_ONLY):
            line = run.replace("/wheels", str(wheels)).replace("/opt/prowess", str(target))
            subprocess.run(line, shell=True, cwd=source, env=env, check=True)
    done = subprocess.run([target / "bin" / "prowess", "--version"], env=env, capture_output=True, text=True)
    assert done.stdout.splitlines()[1].startswith("kernel: pure")
    assert (
        subprocess.run([target / "bin" / "prowess", "doctor", "--help"], env=env, capture_output=True).returncode == 0
    )


def test_manifests_name_the_user_the_port_the_volume_and_the_paths_of_the_image():
    manifests = list(yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text(encoding="utf-8")))
    deployment, service, _ = manifests
    pod = deployment["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert deployment["spec"]["replicas"] == 2
    assert service["spec"]["selector"] == deployment["spec"]["template"]["metadata"]["labels"]
    assert f"{pod['securityContext']['runAsUser']}:{pod['securityContext']['runAsGroup']}" == FINAL.all("USER")[0]
    assert container["ports"][0]["containerPort"] == int(FINAL.all("EXPOSE")[0])
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert {HOME, "/tmp"} == {mount["mountPath"] for mount in container["volumeMounts"]}
    assert {container[probe]["httpGet"]["path"] for probe in ("livenessProbe", "startupProbe")} == {"/healthz"}
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"


def test_compose_starts_the_image_with_a_database_and_a_read_only_root():
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    ours = services["prowess"]
    assert ours["read_only"] is True
    assert [volume.partition(":")[2] for volume in ours["volumes"]] == [HOME]
    assert ours["ports"] == [f"127.0.0.1:8000:{FINAL.all('EXPOSE')[0]}"]
    assert "@database/prowess" in ours["environment"]["PROWESS_DATABASE"]
    assert services["database"]["environment"]["POSTGRES_DB"] == "prowess"
