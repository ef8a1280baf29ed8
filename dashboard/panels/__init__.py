"""Parts of a page: each takes answers and gives a component; none of them reads."""
