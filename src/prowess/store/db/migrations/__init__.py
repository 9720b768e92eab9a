"""How a database of the store came to have its tables: one step a file, each as it was when it was written."""
