"""Random playouts, one at a time and in bit-sliced batches."""
