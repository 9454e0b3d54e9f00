"""windrow: SQL over windows that slide, on Apache Spark."""

from windrow.database import Database, Query, connect
from windrow.errors import Error

__all__ = ["Database", "Error", "Query", "connect"]
