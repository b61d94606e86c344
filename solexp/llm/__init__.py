"""What answers prompts: the seam to language models, calibration models, recorded replies, and sampling."""
