"""Small independent modules that learners are composed of."""
