"""Intervals and sets of classes that hold the truth as often as asked for, from rows that were held out."""
