"""The training loop: self-play, training, quantisation and gate, all resumable, in one folder."""
