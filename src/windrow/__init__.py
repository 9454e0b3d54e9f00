"""windrow: SQL over windows that slide, on Apache Spark."""
