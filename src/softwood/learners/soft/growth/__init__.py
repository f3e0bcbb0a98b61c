"""How a tree gets one gate more: candidates, split steps, the grower."""
