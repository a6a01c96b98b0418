"""Points and arrows in a plane whose axes have one scale, such as the plane of two principal components."""
