"""Tests of the GPU are collected only if PyTorch finds one (`make gpu`)."""

import torch

collect_ignore_glob = [] if torch.cuda.is_available() else ["test_*.py"]
