"""What a log writes: an entry is one Arrow message, and a dictionary would need another before it. So the
values of an ENUM are written as text."""

from __future__ import annotations

import pyarrow as pa


class Storage:
    """How rows of one schema are written and read."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._written = pa.schema([pa.field(field.name, _stored(field.type)) for field in schema])
        self._differs = self._written != schema

    def write(self, batch: pa.RecordBatch | None) -> bytes | pa.Buffer:
        """An Arrow message; nothing where there are no rows."""
        if batch is None:
            return b""
        return (batch.cast(self._written) if self._differs else batch).serialize()

    def read(self, message: pa.Buffer) -> pa.RecordBatch:
        batch = pa.ipc.read_record_batch(message, self._written)
        return batch.cast(self._schema) if self._differs else batch


def _stored(type_: pa.DataType) -> pa.DataType:
    stored: pa.DataType = type_
    if pa.types.is_dictionary(type_):
        stored = type_.value_type
    elif pa.types.is_map(type_):
        stored = pa.map_(_stored(type_.key_type), _stored(type_.item_type))
    elif pa.types.is_struct(type_):
        stored = pa.struct([pa.field(field.name, _stored(field.type)) for field in type_])
    elif pa.types.is_fixed_size_list(type_):
        stored = pa.list_(_stored(type_.value_type), type_.list_size)
    elif pa.types.is_list(type_):
        stored = pa.list_(_stored(type_.value_type))
    return stored
