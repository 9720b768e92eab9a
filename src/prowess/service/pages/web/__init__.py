"""What all pages share: routing, templates, filters, URLs, CSRF tokens."""
