"""Running untrusted code: processes of its own, with limits on what they use and reach."""
