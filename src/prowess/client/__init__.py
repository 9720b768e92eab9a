"""The far side of the service: what `prowess.Client` is made of."""
