"""What runs on the other side of the wall: in a bare interpreter, with nothing but the standard library.

Nothing here may import anything else of solexp, and nothing outside runs it but `solexp.sandbox`.
"""
