"""Tests of the GPU are collected where PyTorch sees one (`make gpu`); elsewhere there is nothing they could prove."""

import torch

collect_ignore_glob = [] if torch.cuda.is_available() else ["test_*.py"]
