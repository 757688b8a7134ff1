"""Random playouts, one by one and in bit-sliced batches."""
