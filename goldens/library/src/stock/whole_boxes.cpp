namespace stock {

int whole_boxes(int pieces);

int whole_boxes(int pieces) { return (pieces + 11) / 12; }

}  // namespace stock
