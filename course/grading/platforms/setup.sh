#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image: Python, PyTorch without CUDA, bubblewrap.
set -euo pipefail
apt-get update
apt-get install -y --no-install-recommends bubblewrap ca-certificates python3 python3-venv
python3 -m venv /opt/uv
/opt/uv/bin/pip install uv
/opt/uv/bin/uv venv --python 3.12 /autograder/venv
cd /autograder/source
/opt/uv/bin/uv pip install --python /autograder/venv/bin/python --torch-backend cpu \
    -c constraints.txt -e ".[grading]"
