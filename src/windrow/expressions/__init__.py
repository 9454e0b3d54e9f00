"""Scalar expressions, evaluated by DuckDB over Arrow tables: the one place where that is done."""
