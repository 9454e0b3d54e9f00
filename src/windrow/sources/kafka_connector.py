"""What the Kafka source and sink share: the URI, the session, and the connector's jars.

Spark does not bring its Kafka connector. It is fetched by its Maven coordinates: when a session starts
whose conf has `connector_conf`, or when the first source or sink needs it. Ivy keeps it for later.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windrow.errors import Error
from windrow.uri import Uri

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPARK_VERSION = version("pyspark")
KAFKA_PACKAGE = f"org.apache.spark:spark-sql-kafka-0-10_2.13:{SPARK_VERSION}"
IVY_SETTINGS = "WINDROW_IVY_SETTINGS"
"""The environment variable that names an ivysettings.xml, where a machine needs one."""
HOW_TO_GET = (
    f"Spark fetches {KAFKA_PACKAGE} from Maven Central, or as {IVY_SETTINGS} = an ivysettings.xml says;"
    " without a network, put that jar and those it needs (mvn dependency:copy-dependencies) in a folder"
    " and add jars=FOLDER to the URI"
)
_REACH = 5.0
_PATIENT = {
    "kafka.default.api.timeout.ms": "20000",
    "kafka.request.timeout.ms": "10000",
}


@dataclass(frozen=True, slots=True)
class Topic:
    """`kafka://host:port[,host:port]/topic`; options `kafka.…` go to the Kafka client as they are."""

    servers: tuple[tuple[str, int], ...]
    name: str
    client: dict[str, str] = field(default_factory=dict)
    jars: str | None = None

    @classmethod
    def of(cls, uri: Uri, error: type[Error]) -> Topic:
        brokers, _, name = uri.rest.partition("/")
        servers = [_server(broker) for broker in brokers.split(",")]
        if not name or "/" in name or None in servers:
            raise error(
                f"{uri.text}: not brokers and a topic", hint="write kafka://host:port,host:port/topic"
            )
        client = {key: value for key, value in uri.options.items() if key.startswith("kafka.")}
        return cls(tuple(server for server in servers if server), name, client, uri.options.get("jars"))

    @property
    def options(self) -> dict[str, str]:
        """Options of Spark's reader and writer, as far as both have them."""
        bootstrap = ",".join(f"{host}:{port}" for host, port in self.servers)
        return {**_PATIENT, "kafka.bootstrap.servers": bootstrap, **self.client}

    def check_reachable(self, error: type[Error]) -> None:
        """Refuse brokers of which none answers now, rather than wait for long."""
        reason: OSError | None = None
        for server in self.servers:
            try:
                socket.create_connection(server, _REACH).close()
            except OSError as failure:
                reason = failure
            else:
                return
        where = ", ".join(f"{host}:{port}" for host, port in self.servers)
        said = reason.strerror if reason is not None and reason.strerror else reason
        raise error(
            f"no Kafka broker answers at {where}: {said}", hint="is the broker running, the port right?"
        )


def _server(text: str) -> tuple[str, int] | None:
    host, _, port = text.rpartition(":")
    return (host.strip("[]"), int(port)) if host and port.isdecimal() and 0 < int(port) < 65536 else None


def connector_conf(uri: str) -> dict[str, str]:
    """What the conf of a Spark session needs for a stream or sink of this URI; nothing if not Kafka's."""
    parsed = Uri.parse(uri)
    if parsed.scheme != "kafka":
        return {}
    if jars := parsed.options.get("jars"):
        return {"spark.jars": ",".join(_jars_in(jars))}
    conf = {"spark.jars.packages": KAFKA_PACKAGE}
    if settings := _ivy_settings():
        conf["spark.jars.ivySettings"] = str(settings)
    return conf


def _jars_in(named: str) -> list[str]:
    folder = Path(named).expanduser().absolute()
    jars = sorted(str(path) for path in folder.glob("*.jar"))
    if not any(Path(jar).name.startswith("spark-sql-kafka-0-10_2.13-") for jar in jars):
        raise Error(f"there is no Kafka connector for Spark in {folder}", hint=HOW_TO_GET)
    return jars


def _ivy_settings() -> Path | None:
    named = os.environ.get(IVY_SETTINGS)
    if named:
        return Path(named).expanduser()
    usual = Path.home() / ".ivy2" / "ivysettings.xml"
    return usual if usual.is_file() else None


def connected_session(topic: Topic, error: type[Error]) -> SparkSession:
    """The running Spark session, able to read and write Kafka; never starts one.

    A session that was started without the connector gets it now.
    """
    session = _running_session()
    if session is None:
        raise error(
            "Kafka needs the Spark runner: its connector is a part of Spark",
            hint='run with --runner spark, or windrow.connect(runner="spark")',
        )
    use_connector(session)
    if not _has_connector(session, topic):
        _add_connector(session, topic, error)
    return session


def use_connector(session: SparkSession) -> None:
    """Let this thread, and streaming queries that it starts, see what was added to a running session."""
    loader = session._jsparkSession.sharedState().jarClassLoader()
    _jvm(session).Thread.currentThread().setContextClassLoader(loader)


def _running_session() -> SparkSession | None:
    from pyspark import SparkContext  # a runner without Spark must not pay for importing it
    from pyspark.sql import SparkSession

    # getActiveSession() asks for the session of this very thread, which sources and sinks do not own.
    if SparkContext._active_spark_context is None:
        return None
    session: SparkSession = SparkSession.builder.getOrCreate()
    return session


def _jvm(session: SparkSession) -> Any:
    return session._jvm


def _has_connector(session: SparkSession, topic: Topic) -> bool:
    from pyspark.errors import AnalysisException

    try:
        session.read.format("kafka").options(**topic.options).option("subscribe", topic.name).load()
    except AnalysisException as failure:
        if failure.getCondition() != "KAFKA_DATA_SOURCE_NOT_ENABLED":
            raise
        return False
    return True


def _add_connector(session: SparkSession, topic: Topic, error: type[Error]) -> None:
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    if settings := _ivy_settings():
        _jvm(session).System.setProperty("spark.jars.ivySettings", str(settings))
    jars = _jars_in(topic.jars) if topic.jars else [f"ivy://{KAFKA_PACKAGE}"]
    try:
        for jar in jars:
            session.sql(f"ADD JAR '{jar}'").collect()
    except (Py4JJavaError, PySparkException) as failure:
        said = next((line for line in str(failure).splitlines() if "Exception: " in line), KAFKA_PACKAGE)
        raise error(
            f"Spark's Kafka connector cannot be fetched: {said.rpartition('Exception: ')[2]}",
            hint=HOW_TO_GET,
        ) from failure
    if not _has_connector(session, topic):
        raise error("Spark's Kafka connector was added and is not found all the same", hint=HOW_TO_GET)
