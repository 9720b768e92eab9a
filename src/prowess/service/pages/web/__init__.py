"""Routing, templates, filters, forms and CSRF tokens, shared by all pages."""
