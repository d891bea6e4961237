"""Other people's front doors: the interfaces users already have, with our numbers behind them."""
