"""The words of Peakline as types: outcomes, defects, roles, tiers, canonical fields. Imports nothing."""
