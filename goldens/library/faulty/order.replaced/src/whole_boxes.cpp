// A helper in the open: a stranger's function of this name takes its place.
int whole_boxes(int pieces);

int whole_boxes(int pieces) { return (pieces + 11) / 12; }
