"""python -m bench.ablation [run] [report]: run the missing fits, then print the table."""

from bench.ablation.run import main

main()
