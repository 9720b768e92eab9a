"""Maximum-weight matching in general graphs (Edmonds' blossom algorithm)."""
