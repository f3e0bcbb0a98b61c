"""Small pieces that know nothing of each other: learners are put together from them."""
