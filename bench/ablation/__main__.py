"""python -m bench.ablation [run] [report]: run what is not done yet, then print the table."""

from bench.ablation.run import main

main()
