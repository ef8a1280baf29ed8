"""The words of the screens, in every language the product speaks."""
